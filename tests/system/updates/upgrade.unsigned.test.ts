// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { must } from '#scripts/lib/run.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { PROGRAM, startUpgrading, type Upgrading } from '#tests/support/system/upgrading.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const git = (...args: string[]) => must(['git', ...args])

/** The last sources of which builds were not signed; a shallow clone does not have them. */
async function lastUnsigned(): Promise<string | undefined> {
  const log = ['log', '--diff-filter=A', '--format=%H', '--', 'shared/kernel/release.ts']
  const added = (await git(...log).catch(() => '')).trim().split('\n').at(-1)
  if (!added) return undefined
  return git('rev-parse', '--verify', `${added}^`).then(
    (commit) => commit.trim(),
    () => undefined,
  )
}

/** An executable of other sources, with the packages of these. */
async function buildOf(commit: string): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'unsigned-'))
  try {
    const archive = join(folder, 'sources.tar')
    const parts = ['agent', 'shared', 'package.json', 'bun.lock', 'tsconfig.json']
    await git('archive', '--format=tar', `--output=${archive}`, commit, ...parts)
    await must(['tar', '-xf', archive, '-C', folder])
    await symlink(resolve('node_modules'), join(folder, 'node_modules'))
    return await Bun.file((await buildAgent(folder)).file).bytes()
  } finally {
    await rm(folder, { recursive: true })
  }
}

const commit = await lastUnsigned()
const reason = commit === undefined ? 'needs the history of the repository' : undefined

unless(lab.available() ?? reason).describe('an agent that knows no signatures', () => {
  let upgrading: Upgrading
  beforeAll(async () => {
    upgrading = await startUpgrading('unsigned')
    await upgrading.offer(await buildOf(commit ?? ''))
    await upgrading.install()
  }, 10 * MINUTES)
  afterAll(() => upgrading?.stop(), 5 * MINUTES)

  test('is upgraded to one that verifies signatures, whose services have limits', async () => {
    const { host, offer, upgrade, sync, refused } = upgrading
    const program = await Bun.file((await buildAgent('.')).file).bytes()
    await offer(program)

    expect(await upgrade()).toMatchObject({ event: 'complete' })

    const show = (unit: string) =>
      host.must(['systemctl', 'show', '--value', '-pMemoryMax,TasksMax', unit])
    expect([await show('hosting-agent'), await show('hosting-agent-front')]).toEqual([
      `${2 ** 30}\n512\n`,
      `${2 ** 28}\n64\n`,
    ])
    expect(await sync()).toBe('complete')
    await rm(join(upgrading.folder, 'hosting-agent.manifest.json.sig'))
    expect(await refused()).toEqual([
      403,
      'The build is not signed: sign it with scripts/sign-build.ts',
    ])
    expect(await host.must([PROGRAM, 'version'])).not.toBe('')
  })
})
