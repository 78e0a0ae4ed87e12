import type { Output } from '#agent/kernel/host/ports.ts'
import { lastOf, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'

/** Returns bytes or files in a user's folder, or bytes of a user's database. */
export function du({ sizes, databases }: Machine, argv: readonly string[]): Output {
  const path = lastOf(argv)
  const [, name] = /^\/var\/lib\/mysql\/(.+)$/.exec(path) ?? []
  if (name !== undefined) return printed(`${databases.get(name)?.bytes ?? 0}\t${path}\n`)
  const [, user = ''] = /^\/srv\/www\/([^/]+)\//.exec(path) ?? []
  const bytes = sizes.get(user) ?? 64 * 2 ** 20
  return printed(`${argv.includes('--inodes') ? filesIn(bytes) : bytes}\ttotal\n`)
}

/** As many files as a WordPress of that size has: its own, and uploads. */
export const filesIn = (bytes: number): number => 3200 + Math.round(bytes / 400_000)
