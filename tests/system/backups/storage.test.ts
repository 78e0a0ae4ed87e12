// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import { installRestic, restic, type Target } from '#tests/support/storage/restic.ts'
import { OWNER, startS3Server, WRITER } from '#tests/support/storage/s3.ts'
import { documentedAccount, startSftpServer } from '#tests/support/storage/sftp.ts'

const MINUTES = 60_000
const DATA = '/root/data'

const codeOf = (outcome: { code: number }) => outcome.code

/** What restic reports as JSON, one object in each line. */
const linesOf = ({ stdout }: { stdout: string }) =>
  stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))

/** Statuses of a first backup, of a second one, and of a restore; and whether it is the same. */
async function roundTrip(client: lab.Host, target: Target): Promise<unknown> {
  const run = (...args: string[]) => restic(client, target, 'trip', args)
  await client.must(['rm', '-rf', '/root/back'])
  const codes = [
    await run('init'),
    await run('backup', '--quiet', DATA),
    await run('backup', '--quiet', DATA),
    await run('restore', `latest:${DATA}`, '--quiet', '--target', '/root/back'),
    await client.exec(['diff', '--recursive', DATA, '/root/back']),
  ].map(codeOf)
  return { codes, snapshots: await snapshotsOf(client, target) }
}

async function snapshotsOf(client: lab.Host, target: Target): Promise<number> {
  const { stdout } = await restic(client, target, 'trip', ['snapshots', '--json'])
  return JSON.parse(stdout).length
}

const forgetting = ['forget', '--keep-last', '1', '--prune', '--quiet']

unless(lab.available()).describe('a storage server', () => {
  let client: lab.Host

  beforeAll(async () => {
    client = await lab.startHost({ name: 'client', suite: 'bookworm', init: 'systemd' })
    await installRestic(client)
    await client.must(['install', '-d', DATA])
    await client.must(['dd', 'if=/dev/urandom', `of=${DATA}/file`, 'bs=1M', 'count=20'])
  }, 5 * MINUTES)
  afterAll(() => lab.switchDown(), MINUTES)

  test('of restic adds backups, and deletes them for the keeper only', async () => {
    const { target, keeper, stop } = await startRestServer({ users: ['shop', 'blog'] })
    const shop = target('shop')

    expect(await roundTrip(client, shop)).toEqual({ codes: [0, 0, 0, 0, 0], snapshots: 2 })
    const stolen = { ...shop, place: { ...shop.place, url: target('blog').place.url } }
    expect(codeOf(await restic(client, stolen, 'trip', ['init']))).toBe(1)
    expect(codeOf(await restic(client, shop, 'trip', forgetting))).toBe(3)
    expect(await snapshotsOf(client, shop)).toBe(2)
    expect(codeOf(await restic(client, keeper('shop'), 'trip', forgetting))).toBe(0)
    expect(await snapshotsOf(client, shop)).toBe(1)
    await stop()
  })

  test('of restic keeps earlier backups when its disk is full', async () => {
    const { target, stop } = await startRestServer({ name: 'rest-full', megabytes: 60 })
    const shop = target('shop')
    expect(await roundTrip(client, shop)).toEqual({ codes: [0, 0, 0, 0, 0], snapshots: 2 })
    await client.must(['dd', 'if=/dev/urandom', 'of=/root/large', 'bs=1M', 'count=100'])

    const failed = await restic(client, shop, 'trip', ['backup', '--quiet', '/root/large'])

    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('507')])
    const checked = await restic(client, shop, 'trip', ['check', '--read-data', '--json'])
    expect(linesOf(checked)).toMatchObject([{ message_type: 'summary', num_errors: 0 }])
    expect(await snapshotsOf(client, shop)).toBe(2)
    await stop()
  })

  test('with sftp shows an account its own folder', async () => {
    const { host, target, stop } = await startSftpServer()

    expect(await roundTrip(client, target)).toEqual({ codes: [0, 0, 0, 0, 0], snapshots: 2 })
    const outside = { ...target, place: { ...target.place, path: '/etc' } }
    expect(codeOf(await restic(client, outside, 'trip', ['init']))).toBe(1)
    const stranger = { ...target, place: { ...target.place, host_key: 'ssh-ed25519 AAAA' } }
    expect(codeOf(await restic(client, stranger, 'trip', ['cat', 'config']))).toBe(1)
    const documented = await documentedAccount(host)
    expect(await roundTrip(client, documented)).toEqual({ codes: [0, 0, 0, 0, 0], snapshots: 2 })
    const above = { ...documented, place: { ...documented.place, path: '/' } }
    expect(codeOf(await restic(client, above, 'trip', ['init']))).toBe(1)
    await stop()
  })

  test('with S3 and object lock deletes no version, not even for its owner', async () => {
    const { target, request, stop } = await startS3Server({ locked_days: 1 })
    expect(await roundTrip(client, target)).toEqual({ codes: [0, 0, 0, 0, 0], snapshots: 2 })
    const listing = { method: 'GET', url: '?prefix=sites%2Ftrip%2Fsnapshots&versions=' }
    const versions = async () =>
      [...(await request(OWNER, listing)).body.matchAll(/<Version>.*?<\/Version>/gs)].map(
        ([text]) => {
          const of = (name: string) => new RegExp(`<${name}>(.*?)<`).exec(text)?.[1] ?? ''
          return `/${of('Key')}?versionId=${of('VersionId')}`
        },
      )
    const kept = await versions()

    expect(codeOf(await restic(client, target, 'trip', forgetting))).toBe(0)

    expect(await snapshotsOf(client, target)).toBe(1)
    expect(kept).toHaveLength(2)
    for (const url of kept) {
      for (const account of [WRITER, OWNER]) {
        expect((await request(account, { method: 'DELETE', url })).status).toBe(403)
      }
    }
    expect(await versions()).toEqual(kept)
    await stop()
  })
})
