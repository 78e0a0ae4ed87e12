// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, startEnrolled } from '#tests/support/system/enrolled.ts'
import { type PhpRepository, phpRepository } from '#tests/support/system/php-repository.ts'
import { get } from '#tests/support/system/requests.ts'
import { startSteadyLoad } from '#tests/support/system/steady-load.ts'

const MINUTES = 60_000
const SITE = 'php.example.test'
const PLACE = '/srv/php-repository'
const ENVIRONMENT = '/etc/hosting-agent/agent.env'
const ADDED = ['/etc/apt/sources.list.d/hosting-php.sources', '/etc/apt/keyrings/hosting-php.asc']
const PAGE = "<?php usleep(20000); echo 'answered by PHP ', PHP_VERSION;"
const FURTHER = { php_versions: ['8.4', '8.2'], php_source: true }

unless(lab.available()).describe('PHP versions side by side', () => {
  let world: Enrolled
  let repository: PhpRepository
  let site = { id: 0, user: '' }

  const provision = async (body: object) =>
    (await world.dashboard.stream('POST', world.path('/provision'), body)).at(-1)
  const sources = async () => (await world.host.exec(['ls', ...ADDED])).code
  const installed = async (name: string) => {
    const argv = [
      'dpkg-query',
      '--show',
      '--showformat=$'.concat('{db:Status-Status} $', '{Version}'),
      name,
    ]
    return (await world.host.exec(argv)).stdout
  }
  const trust = async (fingerprint: string) => {
    const settings = await world.host.must(['sed', '/^AGENT_PHP/d', ENVIRONMENT])
    const source = `AGENT_PHP_SOURCE=file://${PLACE}\nAGENT_PHP_SOURCE_FINGERPRINT=${fingerprint}\n`
    await world.host.put(ENVIRONMENT, `${settings}${source}`, 0o600)
    await world.host.must(['systemctl', 'restart', 'hosting-agent'])
    const asked = { php_versions: ['8.4'], dry_run: true }
    const isUp = async () =>
      (await world.dashboard.call('POST', world.path('/provision'), asked)).status === 200
    await lab.poll(isUp)
  }
  const change = async (settings: object) => {
    const answer = await world.dashboard.call('PATCH', world.path(`/sites/${site.id}`), settings)
    expect(answer.status).toBe(202)
    return (await endOf(world.dashboard, answer)).data
  }
  const configure = async (settings: object) => {
    const path = world.path(`/sites/${site.id}/settings`)
    return (await world.dashboard.stream('PATCH', path, settings)).at(-1)
  }
  /** With a query, which the page cache leaves out. */
  const page = async () => (await get(world.host, `http://${SITE}/answer.php?now`)).body

  beforeAll(async () => {
    repository = await phpRepository()
    world = await startEnrolled('trixie')
    await must(['cp', '--recursive', repository.folder, join(world.host.root, PLACE)])
    await must(['chmod', '-R', 'a+rX', join(world.host.root, PLACE)])
    const body = { domain: SITE, php: '8.4', tls: 'none' }
    const created = await world.dashboard.call('POST', world.path('/sites'), body)
    site = created.body.site as typeof site
    await endOf(world.dashboard, created)
    const found = await world.dashboard.call('GET', world.path(`/sites/${site.id}`))
    site = found.body.site as typeof site
    await world.host.put(`/srv/www/${site.user}/public/answer.php`, PAGE)
  }, 15 * MINUTES)
  afterAll(async () => {
    await world?.stop()
    await repository?.remove()
  }, 5 * MINUTES)

  test('a repository with another key is not added, and nothing of it stays', async () => {
    await trust('0'.repeat(40))

    const last = await provision(FURTHER)

    expect(last).toMatchObject({
      event: 'error',
      data: { message: expect.stringContaining(`does not have the key ${'0'.repeat(40)}`) },
    })
    expect([await sources(), await installed('php8.2-fpm')]).toEqual([2, ''])
  })

  test('a repository whose lists were changed is refused by apt, and the other ones still work', async () => {
    await trust(repository.fingerprint)
    const lists = join(world.host.root, PLACE, 'dists/trixie/main/binary-amd64/Packages')
    const before = await Bun.file(lists).text()
    await Bun.write(lists, before.replace('Package: php8.2-fpm', 'Package: php8.2-fpx'))

    const last = await provision(FURTHER)
    await Bun.write(lists, before)

    expect(last).toMatchObject({
      event: 'error',
      data: {
        message: expect.stringMatching(/^apt cannot use the PHP repository: .*Hash Sum mismatch/),
      },
    })
    expect(await sources()).toBe(2)
    expect((await world.host.exec(['apt-get', 'update'])).code).toBe(0)
  })

  test('a version of the repository is installed beside that of Debian, which stays', async () => {
    const debian = await installed('php8.4-fpm')
    const asked = { ...FURTHER, dry_run: true }
    const { body } = await world.dashboard.call('POST', world.path('/provision'), asked)

    const last = await provision(FURTHER)

    const { steps } = body.plan as { steps: { name: string }[] }
    expect(steps.map(({ name }) => name)).toEqual(['php source', 'packages', 'shared pools'])
    expect(last).toMatchObject({ event: 'complete', data: { php_versions: ['8.2', '8.4'] } })
    expect(await installed('php8.4-fpm')).toBe(debian)
    expect(await installed('php8.2-fpm')).toStartWith('installed 8.2.')
    const { body: again } = await world.dashboard.call('POST', world.path('/provision'), asked)
    expect(again.plan).toMatchObject({ steps: [] })
  })

  test('changes of version, tier and values under 50 requests a second lose none', async () => {
    expect(await page()).toStartWith('answered by PHP 8.4')
    const load = startSteadyLoad(world.host, {
      ...{ domain: SITE, path: '/answer.php', expected: 'answered by PHP 8.', per_second: 55 },
    })

    const ends = [
      await change({ php: '8.2', without_backup: true }),
      await change({ tier: 'medium' }),
      await change({ php: '8.4', without_backup: true }),
      await change({ tier: 'small' }),
      await change({ php: '8.2', without_backup: true }),
    ]
    const set = [
      await configure({ php_settings: { memory_limit: 200, upload: 100, execution_time: 90 } }),
      await configure({ php_settings: { values: { max_input_time: '90' } } }),
      await configure({ php_settings: null }),
    ]

    const { good, bad, reached } = await load.stop()
    expect(ends.map((data) => (data as { php?: string }).php)).toEqual([
      '8.2',
      '8.2',
      '8.4',
      '8.4',
      '8.2',
    ])
    expect(set.map((last) => last?.event)).toEqual(['complete', 'complete', 'complete'])
    expect(bad).toEqual([])
    expect(reached).toBeGreaterThanOrEqual(50)
    expect(good).toBeGreaterThan(200)
    expect(await page()).toStartWith('answered by PHP 8.2')
  })

  test('a version that no repository has changes nothing, and names those that there are', async () => {
    const { status, body } = await world.dashboard.call('POST', world.path('/provision'), {
      ...{ php_versions: ['7.4'], php_source: true, dry_run: true },
    })

    expect([status, body.fields]).toEqual([
      422,
      { php_versions: ['PHP 7.4 is not available on this server (8.2, 8.4 is)'] },
    ])
  })
})
