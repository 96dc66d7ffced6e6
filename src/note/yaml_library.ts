let library: typeof import('yaml') | undefined

/** The YAML library, loaded with the first block of properties: a start on a vault that is known reads none. */
export function yamlLibrary(): typeof import('yaml') {
  library ??= require('yaml') as typeof import('yaml')
  return library
}
