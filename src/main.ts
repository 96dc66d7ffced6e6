/**
 * The program: it picks the command and puts the parts together. The indexing child shares this entry, so that a
 * compiled file can start itself; it loads none of the server.
 */
if (process.argv[2] === '__ingest') {
  const { runIngestChild } = await import('./vault/ingest_child.ts')
  await runIngestChild()
} else {
  const { run } = await import('./program.ts')
  process.exitCode = await run(process.argv.slice(2))
}

export {}
