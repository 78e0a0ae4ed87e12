import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { readConfig } from '#agent/kernel/config.ts'
import type { Clock } from '#agent/kernel/host/ports.ts'
import { realHost } from '#agent/real-host.ts'
import { serve } from '#agent/start.ts'
import { runOwnProgram } from './own-programs.ts'
import { CLOCK, type SetClock } from './set-clock.ts'

await runOwnProgram(process.argv[2], process.argv.slice(3))

const MINUTE_MS = 60_000

/** This machine's agent, whose clock and long waits are set by the file CLOCK. */
const config = readConfig(process.env)
const real = realHost(config.settings)

function read(): SetClock {
  try {
    return JSON.parse(readFileSync(CLOCK, 'utf8'))
  } catch {
    return { ahead_ms: 0, waited_ms: 0 }
  }
}

const clock: Clock = {
  ...real.clock,
  now: () => real.clock.now() + read().ahead_ms,
  /** A wait of a minute or longer also ends when so much time was set as waited. */
  async sleep(ms) {
    if (ms < MINUTE_MS) return real.clock.sleep(ms)
    const from = read().waited_ms
    const end = real.clock.now() + ms
    while (real.clock.now() + read().waited_ms - from < end) await real.clock.sleep(50)
  },
}

writeFileSync(`${CLOCK}.new`, JSON.stringify({ ahead_ms: 0, waited_ms: 0 }))
renameSync(`${CLOCK}.new`, CLOCK)
await serve(config, { ...real, clock })
