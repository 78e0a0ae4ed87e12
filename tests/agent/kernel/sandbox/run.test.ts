import { expect, test } from 'bun:test'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import { runAsSite, tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const shop = { user: 'shop' }

test('runs a program with the user, slice and limits of the site', async () => {
  const host = fakeHost()

  await runAsSite(host, shop, ['php', 'x'], { memory: 64, tasks: 8, file_bytes: 1000 })

  const [{ line, options } = { line: '', options: {} }] = host.runs
  expect([line, options.env]).toEqual(['php x', { HOME: '/srv/www/shop' }])
  expect([options.site?.user, options.site?.slice]).toEqual(['shop', 'hosting-shop.slice'])
  expect(options.site?.directives).toEqual(
    expect.arrayContaining([
      ...['User=shop', 'Group=shop', 'NoNewPrivileges=yes', 'CapabilityBoundingSet='],
      ...['BindPaths=/srv/www/shop', 'MemoryMax=64M', 'TasksMax=8', 'LimitFSIZE=1000'],
    ]),
  )
  expect(options.site?.launcher).toEqual([
    ...['unshare', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', '--ipc', '--'],
    ...['prlimit', '--core=0', '--data=67108864', '--fsize=1000', '--'],
    ...['setpriv', '--reuid=shop', '--regid=shop', '--clear-groups', '--no-new-privs'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--'],
  ])
})

test('leaves the program of the agent room for compiled code beside its memory', async () => {
  const host = fakeHost()

  await runAsSite(host, shop, ['agent', 'rewrite'], { memory: 64, own_program: ['agent'] })

  const { launcher, directives } = host.runs[0]?.options.site ?? {}
  expect(launcher).toContain(`--data=${(64 + 2560) * 2 ** 20}`)
  expect(directives).toEqual(expect.arrayContaining(['MemoryMax=64M', 'BindReadOnlyPaths=agent']))
})

test('lets a program reach the network only where it needs it', async () => {
  const host = fakeHost()

  await runAsSite(host, shop, ['php'], { network: false })
  await runAsSite(host, shop, ['php'])

  const apart = host.runs.map(({ options }) =>
    options.site?.directives.includes('PrivateNetwork=yes'),
  )
  expect(apart).toEqual([true, false])
})

test('shows a program only its input files, and no group but that of the site', async () => {
  const host = fakeHost()

  await runAsSite(host, shop, ['cp'], { reads: ['/var/lib/x'] })

  const directives = host.runs[0]?.options.site?.directives ?? []
  expect(directives.filter((directive) => directive.startsWith('Group='))).toEqual(['Group=shop'])
  expect(directives).toContain('BindReadOnlyPaths=/var/lib/x')
})

test('throws for a failed program unless failure is allowed', async () => {
  const host = fakeHost()
  host.fail('php', 'no')

  await expect(runAsSite(host, shop, ['php'])).rejects.toThrow(CommandFailed)
  expect(await tryAsSite(host, shop, ['php'])).toEqual({ code: 1, stdout: '', stderr: 'no' })
})

test.each([
  [
    'low',
    ['Nice=10', 'IOSchedulingClass=best-effort', 'IOSchedulingPriority=7'],
    ['CPUWeight=20', 'IOWeight=20'],
    ['nice', '-n', '10', 'ionice', '-c', '2', '-n', '7', 'prlimit'],
  ],
  [
    'idle',
    ['Nice=19', 'IOSchedulingClass=idle'],
    ['CPUWeight=1', 'IOWeight=1'],
    ['nice', '-n', '19', 'ionice', '-c', '3', 'prlimit'],
  ],
])('runs a %s program behind others', async (pace, priority, weights, direct) => {
  const host = fakeHost()

  await runAsSite(host, shop, ['mariadb-dump'], { [pace]: true })

  const { site } = host.runs[0]?.options ?? {}
  const last = site?.directives.slice(-priority.length - weights.length)
  expect(last).toEqual([...priority, ...weights])
  expect(site?.launcher.slice(7, 7 + direct.length)).toEqual(direct)
})
