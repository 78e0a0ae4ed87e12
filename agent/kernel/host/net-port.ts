export interface Net {
  /** GET with a time limit; file: addresses too. Throws a readable Error for anything but 200. */
  fetch(url: string, options?: Fetching & { timeout_ms?: number }): Promise<Uint8Array>
  /** Streams an address into a file and returns the digest of what is in it, in hexadecimal. */
  download(
    url: string,
    path: string,
    digest: 'sha1' | 'sha256' | 'sha512',
    options?: Downloading,
  ): Promise<string>
  /** A request to this machine (127.0.0.1) with the given Host; `tls` uses SNI and checks nothing. */
  probe(options: Probe): Promise<{ status: number; body: string; headers: Record<string, string> }>
  /**
   * The A and AAAA records of each name; null: no name server gave an answer. `fresh`: from the name
   * servers of their zones, whatever the resolver of this server has kept.
   */
  resolve(names: readonly string[], options?: { fresh?: boolean }): Promise<Resolved[]>
}

export type Resolved = string[] | null

export interface Fetching {
  signal?: AbortSignal
  /** The id of its operation: see Programs. */
  operation?: string
}

export interface Downloading extends Fetching {
  /** The limit of received and written bytes: throws above it. Default: 1 GiB. */
  most?: number
  /** The data is gzip-compressed and written uncompressed. */
  gunzip?: boolean
}

export interface Probe {
  host: string
  /** The address of this machine; default 127.0.0.1. */
  address?: string
  path: string
  tls?: boolean
}
