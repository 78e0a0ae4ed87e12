import type { Clock } from '#agent/kernel/host/ports.ts'

export const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
