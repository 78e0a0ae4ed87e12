import type { Host } from '#agent/kernel/host/ports.ts'

/** A program that waits for connections on a TCP port of this machine. */
export interface Listener {
  address: string
  port: number
  program: string
  pid: number
}

/** Empty if ss(8) fails. It runs in the machine's network: the agent itself has none. */
export async function listListeners({ shell }: Pick<Host, 'shell'>): Promise<Listener[]> {
  const options = { unconfined: true, timeout_ms: 10_000 }
  const { code, stdout } = await shell.try(['ss', '-Hltnp'], options)
  return code === 0 ? stdout.split('\n').flatMap(listenersIn) : []
}

function listenersIn(line: string): Listener[] {
  const [, address = '', port = ''] = /^LISTEN\s+\d+\s+\d+\s+(\S+):(\d+)\s/.exec(line) ?? []
  const [, program = '', pid = '0'] = /users:\(\("([^"]*)",pid=(\d+)/.exec(line) ?? []
  if (port === '') return []
  const isAny = ['0.0.0.0', '[::]', '*'].includes(address)
  return [{ address: isAny ? '' : address, port: Number(port), program, pid: Number(pid) }]
}
