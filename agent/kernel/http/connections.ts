/** The used part of a socket. */
export interface Peer {
  remoteAddress?: string | undefined
  writableLength: number
  destroy(): unknown
  on(event: 'error', listener: () => void): unknown
  once(event: 'close', listener: () => void): unknown
}

export interface ConnectionLimits {
  /** The maximum number of connections, and of unauthenticated ones per address. */
  total: number
  per_address: number
  /** The maximum number of requests that are being answered. */
  requests: number
}

/** The limits for the network: 2,000 hostile connections leave the process below 160 MB. */
export const NETWORK_LIMITS: ConnectionLimits = { total: 256, per_address: 64, requests: 128 }
/** The limits for the socket of the root half, and for plain HTTP on loopback. */
export const LOCAL_LIMITS: ConnectionLimits = { total: 512, per_address: 512, requests: 512 }

/** The time limits of a connection without a request, before and after authentication. */
const STRANGER_MS = 10_000
const TRUSTED_MS = 75_000
/** The time limit of an unauthenticated request: its body has 10 seconds to arrive. */
const ANSWER_MS = 20_000
/** The maximum number of pipelined requests of an unauthenticated connection. */
export const MAX_PIPELINED = 16
/** The maximum size of unread answers of an unauthenticated connection. */
const MAX_UNREAD = 64 << 10

/** A connection, unauthenticated until the trusted dashboard has signed a request on it. */
export class Connection {
  readonly address: string
  trusted = false
  requests = 0
  readonly #on: { end(): void; trust(): void }
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(address: string, on: { end(): void; trust(): void }) {
    this.address = address
    this.#on = on
    this.wait()
  }

  /** Marks it as authenticated: it is not closed for other connections. */
  trust(): void {
    this.trusted = true
    this.#on.trust()
    this.wait()
  }

  /** Starts the time limit of the current state. */
  wait(): void {
    clearTimeout(this.#timer)
    const idle = this.requests === 0
    if (this.trusted && !idle) return
    const ms = this.trusted ? TRUSTED_MS : idle ? STRANGER_MS : ANSWER_MS
    this.#timer = setTimeout(this.#on.end, ms)
  }

  end(): void {
    this.#on.end()
  }

  forget(): void {
    clearTimeout(this.#timer)
  }
}

/**
 * Limits the resources of unauthenticated clients. When all slots are used, the oldest
 * unauthenticated connection of the address with the most of them is closed: a new one always gets
 * its turn, and an authenticated one is kept.
 */
export class Connections {
  readonly #limits: ConnectionLimits
  /** The open connections, oldest first. */
  readonly #open = new Set<Connection>()
  /** The unauthenticated connections by address, oldest first, maybe thousands per second. */
  readonly #strangers = new Map<string, Set<Connection>>()
  readonly #sockets = new WeakMap<object, Connection>()
  #requests = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#open.size
  }

  of(socket: object): Connection | undefined {
    return this.#sockets.get(socket)
  }

  /** Assigns requests on this socket to the connection, too. */
  join(socket: object, connection: Connection): void {
    this.#sockets.set(socket, connection)
  }

  /** Closes the socket and returns undefined when authenticated connections use every slot. */
  admit(socket: Peer): Connection | undefined {
    socket.on('error', () => socket.destroy())
    const address = groupOf(socket.remoteAddress ?? '')
    const same = this.#strangers.get(address)
    if (same && same.size >= this.#limits.per_address) same.values().next().value?.end()
    else if (this.#open.size >= this.#limits.total) this.#makeRoom()
    if (this.#open.size >= this.#limits.total) {
      socket.destroy()
      return undefined
    }
    const connection: Connection = new Connection(address, {
      end: () => {
        this.remove(connection)
        socket.destroy()
      },
      trust: () => this.#forget(connection),
    })
    this.#open.add(connection)
    this.#strangers.set(address, (this.#strangers.get(address) ?? new Set()).add(connection))
    this.join(socket, connection)
    socket.once('close', () => this.remove(connection))
    return connection
  }

  remove(connection: Connection): void {
    if (!this.#open.delete(connection)) return
    this.#forget(connection)
    connection.forget()
    this.#requests -= connection.requests
  }

  /** Returns false for a request that gets no answer: too many, or disconnected. */
  begin(connection: Connection, { writableLength }: Pick<Peer, 'writableLength'>): boolean {
    const isGreedy = connection.requests >= MAX_PIPELINED || writableLength > MAX_UNREAD
    if (!connection.trusted && isGreedy) connection.end()
    if (!this.#open.has(connection)) return false
    if (this.#requests >= this.#limits.requests) {
      const strangers = this.#open.values().filter(({ trusted }) => !trusted)
      strangers.find(({ requests }) => requests > 0)?.end()
      if (!this.#open.has(connection)) return false
    }
    if (this.#requests >= this.#limits.requests) return false
    this.#requests += 1
    connection.requests += 1
    connection.wait()
    return true
  }

  /** Ends a request that `begin` admitted: its answer is complete or cut off. */
  finish(connection: Connection): void {
    if (!this.#open.has(connection)) return
    this.#requests -= 1
    connection.requests -= 1
    connection.wait()
  }

  endAll(): void {
    for (const connection of [...this.#open]) connection.end()
  }

  /** Removes it from the unauthenticated ones. */
  #forget(connection: Connection): void {
    const same = this.#strangers.get(connection.address)
    if (same?.delete(connection) && same.size === 0) this.#strangers.delete(connection.address)
  }

  #makeRoom(): void {
    let most: Set<Connection> | undefined
    for (const each of this.#strangers.values()) if (each.size > (most?.size ?? 0)) most = each
    most?.values().next().value?.end()
  }
}

/** Returns the address, or the /64 of an IPv6 address, whose owner has all of it. */
export function groupOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const missing = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const words = [...left, ...Array<string>(missing).fill('0'), ...right]
  return `${words.slice(0, 4).join(':')}::/64`
}
