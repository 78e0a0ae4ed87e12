// tier: full
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { poll } from '#tests/support/lab/index.ts'
import { S3_PORT } from '#tests/support/storage/ceph.ts'
import { fading } from '#tests/support/storage/fading.ts'
import { besideS3, describeKeeper } from '#tests/support/storage/keeper-world.ts'
import { installUnits, killWhen } from '#tests/support/storage/killed-keeper.ts'
import { restic } from '#tests/support/storage/restic.ts'
import { OWNER } from '#tests/support/storage/s3.ts'
import { hideAll, keysIn, releaseAttempts, versionsIn } from '#tests/support/storage/s3-attack.ts'
import { TLS } from '#tests/support/storage/service.ts'
import { foundDuring, KEEPER_KEY, privateLine } from '#tests/support/system/keeper-secrets.ts'

const PORT = 7444

/** A bucket whose keeper asks it through a proxy, which can hold its requests at a moment. */
async function besideHeldS3(options: Parameters<typeof besideS3>[0] = {}) {
  const place = await besideS3(options)
  const { host } = place.storage
  const proxy = await startProxy(host.netns, [
    ...[host.address, String(PORT), String(S3_PORT)],
    ...[`${host.root}${TLS.key}`, `${host.root}${TLS.certificate}`],
  ])
  const { url } = place.target.place
  return { ...place, proxy, store: { ...place.store, url: url.replace(/\d+$/, String(PORT)) } }
}

async function startProxy(netns: string, args: readonly string[]) {
  const program = [process.execPath, 'tests/support/storage/holding-proxy.ts', ...args]
  const child = Bun.spawn(['ip', 'netns', 'exec', netns, ...program], {
    ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  })
  const lines = linesOf(child.stdout)
  const next = async (word: string) => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('the proxy has ended')
      if (value === word) return
    }
  }
  const say = async (line: string) => {
    child.stdin.write(`${line}\n`)
    child.stdin.flush()
    await next('done')
  }
  await next('ready')
  return {
    /** From the n-th request on whose method and path match. */
    hold: (pattern: string, n = 1) => say(`hold ${n} ${pattern}`),
    /** Waits until a request is held. */
    held: () => next('held'),
    release: () => say('release'),
    /** The held requests are never answered, and new ones pass. */
    drop: () => say('drop'),
    stop: () => child.kill(),
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)
const locked = () => besideHeldS3({ locked_days: 1 })
/** Whether restic has said that it cannot connect depends on when the time of the run ends. */
const CUT =
  /^(The time of the run .* was over before restic prune ended|The target did not answer: check the network)/
const CONFIG = { config: { max_unused: '0%', run_minutes: 1 } }

/** The n-th of these requests is never answered. */
const MOMENTS = [
  { name: 'lists the snapshots', request: '^GET .*prefix=sites/killed/snapshots/', n: 2 },
  { name: 'has forgotten one of two snapshots', request: '^DELETE .*/killed/snapshots/', n: 2 },
  { name: 'writes the remaining data again', request: '^PUT .*/killed/data/', n: 1 },
  { name: 'has written the new index', request: '^DELETE .*/killed/index/', n: 1 },
  { name: 'removes data', request: '^DELETE .*/killed/data/', n: 2 },
]

describeKeeper('a bucket with object lock', locked, CONFIG, (world) => {
  afterAll(() => world()?.place.proxy.stop())

  test('has what the keeper forgets until its lock ends, and what an attacker deletes and overwrites', async () => {
    const { client, keeper, place, report: signed, started } = world()
    const { machine, storage: s3 } = place
    const history = await started('shop')
    const old = await history.save(80)
    const yesterday = [await history.save(9), await history.save(1)]
    const page = await client.must(['cat', '/root/site/page.html'])

    let run: Awaited<ReturnType<typeof keeper.run>> | undefined
    const secrets = [OWNER.secret, await privateLine(machine)]
    const places = await foundDuring(machine, secrets, async () => {
      run = await keeper.run()
    })

    expect(places).toEqual([
      ...['/etc/hosting-keeper/config.json', KEEPER_KEY, '/var/lib/hosting-keeper/s3-0/aws'],
    ])
    const { code, report = [] } = run ?? {}
    expect([code, report[0].status, [...report[0].forgotten].sort()]).toEqual([
      ...[0, 'ok', [old.id, old.files].sort()],
    ])
    const kept = await history.snapshots()
    expect(kept).toEqual(yesterday.flatMap(({ id, files }) => [id, files]).sort())

    expect(await signed()).toMatchObject({ forgotten: 2, names: ['shop'] })

    const attacked_at = (await client.must(['date', '--utc', '+%FT%TZ'])).trim()
    await Bun.sleep(1100)
    const keys = await hideAll(s3, 'shop')
    expect(keys.length).toBeGreaterThan(10)
    expect((await restic(client, s3.target, 'shop', ['snapshots'])).code).not.toBe(0)
    const [version = ''] = await versionsIn(s3, 'shop')
    expect(await releaseAttempts(s3, version)).toEqual([403, 403, 403, 403, 403])

    const undone = await machine.must(['hosting-agent', 'keeper', 'undelete', attacked_at])

    expect(JSON.parse(undone)).toEqual({
      ...{ bucket: 'backups', deleted: keys.length - 1, overwritten: 1 },
    })
    expect(await history.snapshots()).toEqual(kept)
    await history.run('check', '--read-data', '--quiet', '--no-lock')
    const [last] = yesterday.slice(-1)
    await history.run('restore', `${last?.files}:/root/site`, '--target', '/root/back', '--no-lock')
    expect(await client.must(['cat', '/root/back/page.html'])).toBe(page)
    expect((await keeper.run()).report[0]).toMatchObject({ status: 'ok', problems: [] })
  })

  test('loses nothing when it is killed, and the next run ends its work', async () => {
    const { outcomeOf, place, report } = world()
    const { machine, proxy, storage } = place
    await installUnits(machine, '/srv')
    const { history, gone, kept, lost } = await fading(world(), 'killed', 12)
    const stored = async () => {
      const keys = await keysIn(storage, 'killed')
      return (folder: string) => keys.filter((key) => key.includes(`/${folder}/`)).length
    }
    const before = await stored()

    for (const { name, request, n } of MOMENTS) {
      await proxy.hold(request, n)
      expect([name, await killWhen(machine, proxy.held)]).toEqual([name, 'signal'])
      await proxy.drop()
      expect(await lost()).toEqual([])
    }

    expect(await outcomeOf('killed')).toEqual({
      ...{ code: 0, status: 'ok', backups: 2, problems: [], forgotten: [] },
    })
    expect(await lost()).toEqual([])
    expect([gone.length, await history.snapshots()]).toEqual([2, kept])
    const after = await stored()
    expect(after('locks')).toBe(0)
    expect(after('data')).toBeLessThan(before('data'))
    expect(await report()).toMatchObject({ troubled: 0, problems: [] })
    await history.save(0)
  })

  test('continues after a short cut of the network, and in the next run after a long one', async () => {
    const { outcomeOf, place, report } = world()
    const { machine, proxy } = place
    /** The outcome of a run whose network is cut before a new index takes the place of others. */
    const cutUntil = async (name: string, end: () => Promise<unknown>) => {
      await proxy.hold(`^DELETE .*/${name}/index/`)
      const run = outcomeOf(name)
      await proxy.held()
      await machine.partition(true)
      await proxy.release()
      await end()
      await machine.partition(false)
      return run
    }
    const isEnded = async () => (await machine.exec(['pgrep', '--exact', 'restic'])).code !== 0
    const blog = await fading(world(), 'blog', 12)
    const done = { code: 0, status: 'ok', backups: 2, problems: [] }

    expect(await cutUntil('blog', () => Bun.sleep(3000))).toEqual({
      ...done,
      forgotten: blog.gone,
    })
    expect(await blog.lost()).toEqual([])
    const news = await fading(world(), 'news', 12)
    const cut = await cutUntil('news', () => poll(isEnded))

    expect(cut).toEqual({
      ...{ code: 1, status: 'failed', backups: undefined, forgotten: [] },
      problems: [expect.stringMatching(CUT)],
    })
    const problem = { repository: 'news', code: 'failed' }
    expect(await report()).toMatchObject({ troubled: 1, problems: [problem] })
    expect(await news.lost()).toEqual([])
    expect(await outcomeOf('news')).toEqual({ ...done, forgotten: [] })
    expect(await report()).toMatchObject({ troubled: 0, problems: [] })
    expect(await news.history.snapshots()).toEqual(news.kept)
    expect(await news.lost()).toEqual([])
  })
})
