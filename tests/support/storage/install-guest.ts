import { resticPath, resticSteps } from '#agent/features/backups/restic/program.ts'
import { readConfig } from '#agent/kernel/config.ts'
import { performSteps } from '#agent/kernel/operations/steps.ts'
import { realHost } from '#agent/real-host.ts'

/** Installs restic on this machine as an agent with the default settings does, and runs it. */
const host = realHost(readConfig({}).settings)
for await (const _ of performSteps(await resticSteps(host), async () => undefined));
const { stdout } = await host.shell.run([resticPath(host), 'version'])
console.log(JSON.stringify({ left: (await resticSteps(host)).length, version: stdout.trim() }))
process.exit()
