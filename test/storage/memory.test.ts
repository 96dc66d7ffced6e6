import { memoryStorage } from '../../src/storage/memory.ts'
import { storageContract } from './contract.ts'

storageContract({
  name: 'memory',
  hasLinks: false,
  open: async (files) => {
    const storage = memoryStorage(files)
    return { storage, close: () => storage.close() }
  },
})
