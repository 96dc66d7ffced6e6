import type { FlagForm } from '../cli/arguments.ts'
import { SETTINGS } from './schema.ts'

/** Every flag that sets something: those of the settings, the short ones for the transport, and `--config`. */
export const FLAG_FORMS: readonly FlagForm[] = [
  { flag: '--http', sets: 'transport', takes: 'switch', gives: 'http' },
  { flag: '--stdio', sets: 'transport', takes: 'switch', gives: 'stdio' },
  { flag: '--config', sets: 'config', takes: 'one' },
  ...SETTINGS.flatMap(({ flag, fileKey, takes }) => (flag === null ? [] : [{ flag, sets: fileKey, takes }])),
]
