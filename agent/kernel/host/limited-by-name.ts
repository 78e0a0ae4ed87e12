import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { exclusiveByName } from './exclusive-by-name.ts'
import type { Host } from './ports.ts'

interface TaskGroup {
  /** The number of tasks that run or are about to start. */
  taken: number
  queue: (() => void)[]
  inside: number
  state: unknown
}

/** Runs some tasks of the same name concurrently, the others in the order of the calls. */
export function limitedByName(): Host['shared'] {
  const groups = new Map<string, TaskGroup>()
  const door = exclusiveByName()

  const placeIn = async (
    group: TaskGroup,
    { most, waits }: Pick<ConcurrencyLimit<never>, 'most' | 'waits'>,
  ) => {
    if (group.taken < most) group.taken += 1
    else {
      waits?.()
      await new Promise<void>((resolve) => group.queue.push(resolve))
    }
  }
  const leave = (name: string, group: TaskGroup) => {
    const next = group.queue.shift()
    if (next) return next()
    group.taken -= 1
    if (group.taken === 0) groups.delete(name)
  }

  return async <T, S>(
    name: string,
    sharing: ConcurrencyLimit<S>,
    work: (state: S) => Promise<T>,
  ) => {
    const group = groups.get(name) ?? { taken: 0, queue: [], inside: 0, state: undefined }
    groups.set(name, group)
    await placeIn(group, sharing)
    try {
      await door(name, async () => {
        if (group.inside === 0) group.state = await sharing.first()
        group.inside += 1
      })
      try {
        // All tasks of a name share a state of one type.
        return await work(group.state as S)
      } finally {
        await door(name, async () => {
          group.inside -= 1
          if (group.inside === 0) await sharing.last(group.state as S)
        })
      }
    } finally {
      leave(name, group)
    }
  }
}
