import type { Host } from '#agent/kernel/host/ports.ts'
import { install, planInstall } from '#agent/kernel/packages/packages.ts'
import type { Step } from '#agent/kernel/steps/command.ts'

/** The tools of people, in addition to wp-cli, PHP and the database client of the server. */
const TOOLS: Record<string, string> = {
  git: '/usr/bin/git',
  composer: '/usr/bin/composer',
  rsync: '/usr/bin/rsync',
}

async function missing({ files }: Host): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(TOOLS).map(async ([name, path]) => [name, await files.stat(path)] as const),
  )
  return found.filter(([, stat]) => !stat).map(([name]) => name)
}

/** The step that installs the tools of a shell; none if they are installed. */
export async function toolSteps(host: Host): Promise<Step[]> {
  const names = await missing(host)
  if (names.length === 0) return []
  return [
    {
      name: 'shell tools',
      title: `Installing ${names.join(', ')}`,
      effects: () => planInstall(host, names),
      apply: () => install(host, names, 'install'),
    },
  ]
}
