import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listBuilds } from '#dashboard/agents/builds.ts'
import { buildName, MACHINES } from '#shared/machines.ts'

const PLACEHOLDER = `#!/bin/sh
echo 'This is the demo of Hosting Control: it contains no agent to install.' >&2
exit 1
`

/**
 * The agent builds that the demo's dashboard offers: those of the checkout, or placeholders, so
 * that adding a server shows the same as elsewhere. Nobody can run the command here.
 */
export async function buildsFor(folder: string): Promise<string | undefined> {
  if ((await listBuilds()).length > 0) return undefined
  const builds = join(folder, 'builds')
  await mkdir(builds, { recursive: true })
  for (const machine of [...MACHINES, ''])
    await writeFile(join(builds, buildName(machine, '')), PLACEHOLDER)
  return builds
}
