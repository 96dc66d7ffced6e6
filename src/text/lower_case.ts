/** The lower case of a UTF-16 unit, where that is one unit whatever its neighbours are; else the unit itself. */
export function lowerCase(unit: number): number {
  return known[unit] || remembered(unit)
}

/** Filled as units turn up; 0 where none has asked yet. */
const known = new Uint16Array(0x10000)

function remembered(unit: number): number {
  const lower = String.fromCharCode(unit).toLowerCase()
  known[unit] = lower.length === 1 ? lower.charCodeAt(0) : unit
  return known[unit]!
}
