import { expect, test } from 'bun:test'
import { NGINX } from '#agent/kernel/services/debian-services.ts'
import { signal } from '#agent/kernel/services/service.ts'
import { server } from '#tests/support/agent/debian.ts'

const NOBODY = 'No process in pidfile "/run/nginx.pid" found running; none killed.'

/** A server whose nginx is found by the signal of this number, and how many were sent. */
async function withSignals(found: number, ends = false) {
  const host = await server()
  let sent = 0
  const run = host.shell.try
  host.shell.try = async (argv, options) => {
    if (argv[0] !== 'start-stop-daemon') return run(argv, options)
    sent += 1
    if (ends) await host.disk.remove('/run/nginx.pid')
    return sent < found
      ? { code: 1, stdout: NOBODY, stderr: '' }
      : { code: 0, stdout: '', stderr: '' }
  }
  return { host, sent: () => sent }
}

test('a signal that meets a restart of its program is sent again', async () => {
  const { host, sent } = await withSignals(3)

  await signal(host, NGINX, 'HUP')

  expect(sent()).toBe(3)
})

test('a program that has ended needs no signal to read its configuration', async () => {
  const { host, sent } = await withSignals(100, true)

  await signal(host, NGINX, 'HUP')

  expect(sent()).toBe(1)
  await expect(signal(host, NGINX, 'USR2')).rejects.toThrow(NOBODY)
})

test('a signal that never reaches a running program fails, with the reason', async () => {
  const { host, sent } = await withSignals(100)

  await expect(signal(host, NGINX, 'HUP')).rejects.toThrow(
    `start-stop-daemon failed (exit status 1): ${NOBODY}`,
  )
  expect(sent()).toBe(10)
})
