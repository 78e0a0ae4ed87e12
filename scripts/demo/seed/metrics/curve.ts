import type { Member } from '#scripts/demo/fleet/fleet.ts'
import { memoryShare } from '#scripts/demo/machine/machine.ts'

/** A point is the state of a server at some moment; `load` from 0 to 1, sizes in MB. */
export interface Point {
  /** The seconds since 1970. */
  at: number
  load: number
  load5: number
  load15: number
  ram: number
  disk: number
}

const MB = 2 ** 20
const DAY_S = 86_400
/** The daily growth of used disk space, as a share of it. */
const GROWTH = 0.0011

/**
 * Returns points `step` seconds apart from `from` to before `to`, the loads of 5 and 15 minutes
 * after the first one.
 */
export function curveOf({ machine }: Member, from: number, to: number, step: number): Point[] {
  const { time, load, plan } = machine
  const shift = time.loadTime() - time.now()
  const count = Math.max(0, Math.ceil((to - from) / step))
  const values = Array.from({ length: count }, (_, at) =>
    load.at((from + at * step) * 1000 + shift),
  )
  const back = (at: number, seconds: number) => values[Math.max(0, at - Math.round(seconds / step))]
  const { total, free } = plan.disk
  const used = (total - free) / MB
  return values.map((value, place) => {
    const at = from + place * step
    const days = (time.now() / 1000 - at) / DAY_S
    return {
      at,
      load: value,
      load5: back(place, 150) ?? value,
      load15: back(place, 450) ?? value,
      ram: Math.round(memoryShare(smooth(values, place, step)) * plan.memory),
      disk: Math.round(used * (1 - GROWTH * days)),
    }
  })
}

const SMOOTH_S = 1440

/** Returns the average of three quarters of an hour: memory use does not change at once. */
function smooth(values: readonly number[], place: number, step: number): number {
  const reach = Math.max(1, Math.round(SMOOTH_S / step))
  const around = [-reach, -Math.ceil(reach / 2), 0, Math.ceil(reach / 2), reach]
  const found = around.flatMap((away) => values[place + away] ?? [])
  return found.reduce((sum, value) => sum + value, 0) / found.length
}
