import type { Block } from './nginx-config.ts'
import type { Listen } from './virtual-host.ts'

export interface ListenedServer {
  server: Block
  names: readonly string[]
  listens: readonly Listen[]
}

/** Servers with their listens, and which is the default of an address and port. */
export function defaultServers(servers: readonly Block[], hostname: string): ListenedServer[] {
  const read = servers.map((server) => ({
    server,
    names: namesOf(server, hostname),
    listens: listensOf(server),
  }))
  const keyOf = ({ address, port }: Listen) => `${address}:${port}`
  const explicit = new Set(
    read.flatMap(({ listens }) => listens.filter((listen) => listen.default).map(keyOf)),
  )
  const seen = new Set(explicit)
  return read.map(({ server, names, listens }) => ({
    server,
    names,
    listens: listens.map((listen) => {
      const key = keyOf(listen)
      const first = !seen.has(key)
      seen.add(key)
      return { ...listen, default: listen.default || first }
    }),
  }))
}

function namesOf(server: Block, hostname: string): string[] {
  const written = server.flatMap(({ name, args }) => (name === 'server_name' ? args : []))
  const names = written.map((name) => (name === '$hostname' ? hostname : name))
  return names.length > 0 ? [...new Set(names)] : ['']
}

function listensOf(server: Block): Listen[] {
  const ssl = server.some(({ name, args }) => name === 'ssl' && args[0] === 'on')
  const written = server.filter(({ name }) => name === 'listen').map(({ args }) => args)
  return (written.length > 0 ? written : [['80']]).map(([place = '', ...options]) => ({
    ...placeOf(place),
    ...(place.startsWith('[::]') && !options.includes('ipv6only=off') && { only_ipv6: true }),
    tls: ssl || options.includes('ssl') || options.includes('quic'),
    default: options.includes('default_server') || options.includes('default'),
  }))
}

/** `80`, `*:80`, `[::]:80`, `10.0.0.1:80`, `10.0.0.1`, `unix:/run/x.sock`. */
function placeOf(place: string): { address: string; port: number } {
  if (place.startsWith('unix:')) return { address: place, port: 0 }
  if (/^\d+$/.test(place)) return { address: '', port: Number(place) }
  const [, address = place, port = '80'] = /^(.*):(\d+)$/.exec(place) ?? []
  const isAny = ['*', '[::]', '0.0.0.0'].includes(address)
  return { address: isAny ? '' : address, port: Number(port) }
}
