import { readFileSync } from 'node:fs'
import process from 'node:process'
import { readConfig } from '#agent/kernel/config.ts'
import { keeper } from '#agent/programs/cli/keeper.ts'
import { realHost } from '#agent/real-host.ts'
import { CLOCK, type SetClock } from './set-clock.ts'

/** The keeper of this machine, whose time of day is set by the file CLOCK. */
const config = readConfig(process.env)
const real = realHost(config.settings)

function aheadMs(): number {
  try {
    return (JSON.parse(readFileSync(CLOCK, 'utf8')) as SetClock).ahead_ms
  } catch {
    return 0
  }
}

const clock = { ...real.clock, now: () => real.clock.now() + aheadMs() }
await keeper(config, { ...real, clock }, process.argv.slice(3)).then(console.log, (error) => {
  console.error(String(error))
  process.exit(1)
})
