import { SETTINGS } from '#agent/kernel/host/simulated/settings.ts'
import { realHost } from '#agent/real-host.ts'
import { CASES } from './cases.ts'

/** Runs every case on this machine, which it changes, and prints each result as a line of JSON. */
const host = realHost(SETTINGS)
for (const { act } of CASES) {
  const value = await act(host).catch((error: Error) => error.message)
  console.log(JSON.stringify(value))
}
process.exit()
