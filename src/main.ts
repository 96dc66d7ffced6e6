/**
 * The program: it picks the command and puts the parts together. Children, threads and the server in the background
 * share this entry, so that a compiled file can start itself; children and threads load none of the server.
 */
if (!Bun.isMainThread) await import('./search/regex_worker.ts')
else if (process.argv[2] === '__ingest') {
  const { runIngestChild } = await import('./vault/ingest_child.ts')
  await runIngestChild()
} else if (process.argv[2] === '__embed') {
  const [{ runEmbedChild }, { localModelNamed }] = await Promise.all([
    import('./vector/embedders/local_child.ts'),
    import('./vector/embedders/local_models.ts'),
  ])
  const model = localModelNamed(process.argv[4] ?? '')
  if (model) await runEmbedChild(process.argv[3] ?? '', model)
} else if (process.argv[2] === '__service') {
  const { startService } = await import('./service_start.ts')
  process.exitCode = await startService(process.argv.slice(3))
} else {
  const { start } = await import('./start.ts')
  process.exitCode = await start(process.argv.slice(2))
}

export {}
