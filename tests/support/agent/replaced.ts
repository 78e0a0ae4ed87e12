import { replacedOf, restoreFolders } from '#agent/features/backups/paths.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

export const REPLACING = (domain: string) =>
  `The content of ${domain} is being replaced: start the copy when that operation has ended`
export const REPLACED = (domain: string, what: 'backup' | 'copy') =>
  `The content of ${domain} was replaced meanwhile: start the ${what} again when that operation has ended`

/** The first restore of the site keeps its present state. */
export function keeps(host: FakeHost, user: string): void {
  for (const path of [...restoreFolders(user), replacedOf(user)]) host.disk.putFolder(path)
}

/** Once, when the first program whose line begins so starts. */
export function during(host: FakeHost, start: string, work: () => void): void {
  const runs = host.runs
  const { push } = runs
  let isDone = false
  runs.push = (...added) => {
    if (!isDone && added.some(({ line }) => line.startsWith(start))) {
      isDone = true
      work()
    }
    return push.apply(runs, added)
  }
}
