/** YAML files that are part of the program: the runtime reads them. */
declare module '*.yaml' {
  const value: unknown
  export default value
}
