/** Who waits: a person's call goes before reading for the index. */
export type Urgency = 'tool' | 'background'

export type Slots = <T>(urgency: Urgency, task: () => Promise<T>) => Promise<T>

/** Runs at most `atOnce` tasks at a time; those of tools first, each kind in the order it came. */
export function slots(atOnce: number): Slots {
  let running = 0
  const waiting: Record<Urgency, (() => void)[]> = { tool: [], background: [] }
  return async (urgency, task) => {
    if (running >= atOnce) await new Promise<void>((go) => waiting[urgency].push(go))
    else running++
    try {
      return await task()
    } finally {
      const next = waiting.tool.shift() ?? waiting.background.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
