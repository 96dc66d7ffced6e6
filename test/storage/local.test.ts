import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openLocalStorage } from '../../src/storage/local.ts'
import { storageContract } from './contract.ts'

storageContract({
  name: 'local',
  hasLinks: true,
  open: async (files) => {
    const top = await mkdtemp(join(tmpdir(), 'knap-local-'))
    const root = join(top, 'vault')
    const outside = join(top, 'vault-evil')
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content)
    }
    await mkdir(outside)
    await writeFile(join(outside, 'secret.md'), 'secret')
    return {
      storage: await openLocalStorage(root),
      links: { outside, make: (target, path) => symlink(target, join(root, path)) },
      close: () => rm(top, { recursive: true }),
    }
  },
})
