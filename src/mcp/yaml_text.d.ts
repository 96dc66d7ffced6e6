/** YAML files that are imported with `{ type: 'text' }`. */
declare module '*.yaml' {
  const text: string
  export default text
}
