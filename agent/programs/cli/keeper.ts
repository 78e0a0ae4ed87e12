import type { Config } from '#agent/kernel/config.ts'
import { ConfigError } from '#agent/kernel/host/errors.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { CONFIG_PATH, readKeeperConfig } from '#agent/programs/keeper/config.ts'
import { ensureKey } from '#agent/programs/keeper/key.ts'
import { runKeeper } from '#agent/programs/keeper/run.ts'
import { undelete } from '#agent/programs/keeper/s3/undelete.ts'

const USAGE = 'keeper init, keeper run, keeper run --dry-run or keeper undelete <time>'

/** `hosting-agent keeper`: deletes old backups beside the storage, as no server may. */
export async function keeper(_: Config, host: Host, args: string[]): Promise<string> {
  const [action, option] = args
  if (action === 'init' && option === undefined) return ensureKey(host.files)
  if (action === 'undelete') return undeleteSince(host, option)
  if (action !== 'run' || (option !== undefined && option !== '--dry-run')) {
    throw new ConfigError(`keeper needs an action: ${USAGE}`)
  }
  return run(host, option === '--dry-run')
}

/** Prints a line of JSON for each repository. Throws at the end if one of them has a problem. */
async function run(host: Host, dry_run: boolean): Promise<string> {
  const config = await readKeeperConfig(host.files, CONFIG_PATH)
  let repositories = 0
  let troubled = 0
  for await (const line of runKeeper(host, config, { dry_run })) {
    const problems = line.problems?.map(({ message }) => message)
    console.log(JSON.stringify({ ...line, ...(problems && { problems }) }))
    repositories += 1
    if (line.status !== 'ok') troubled += 1
  }
  if (troubled > 0) throw new Error(`${troubled} of ${repositories} repositories have problems`)
  return JSON.stringify({ repositories, problems: 0 })
}

/** Restores, in all buckets, what was deleted or overwritten since then. */
async function undeleteSince({ files, clock }: Host, time = ''): Promise<string> {
  const since = Date.parse(time)
  if (Number.isNaN(since)) {
    throw new ConfigError('keeper undelete needs a time such as 2026-03-01T12:00:00Z')
  }
  const { stores } = await readKeeperConfig(files, CONFIG_PATH)
  const lines: string[] = []
  for (const store of stores) {
    if (store.kind !== 's3') continue
    lines.push(JSON.stringify({ bucket: store.bucket, ...(await undelete(clock, store, since)) }))
  }
  if (lines.length === 0) throw new ConfigError('keeper undelete needs a bucket with versions')
  return lines.join('\n')
}
