export interface Net {
  /** Requests an address with GET; file: addresses too. Throws a readable Error unless 200. */
  fetch(url: string, options?: FetchOptions & { timeout_ms?: number }): Promise<Uint8Array>
  /** Streams an address into a file and returns the digest of what is in it, in hexadecimal. */
  download(
    url: string,
    path: string,
    digest: 'sha1' | 'sha256' | 'sha512',
    options?: DownloadOptions,
  ): Promise<string>
  /** Requests this machine (127.0.0.1) with the given Host; `tls` uses SNI and checks nothing. */
  probe(
    options: ProbeRequest,
  ): Promise<{ status: number; body: string; headers: Record<string, string> }>
  /**
   * Returns the A and AAAA records of each name; null when no name server answered. `fresh` asks
   * the name servers of their zones, past the cache of the resolver.
   */
  resolve(names: readonly string[], options?: { fresh?: boolean }): Promise<ResolvedAddresses[]>
}

export type ResolvedAddresses = string[] | null

export interface FetchOptions {
  signal?: AbortSignal
  /** The id of its operation: see Programs. */
  operation?: string
}

export interface DownloadOptions extends FetchOptions {
  /** The maximum number of received and written bytes; 1 GiB by default. */
  most?: number
  /** The data is gzip-compressed and written uncompressed. */
  gunzip?: boolean
}

export interface ProbeRequest {
  host: string
  /** The address of this machine; 127.0.0.1 by default. */
  address?: string
  path: string
  tls?: boolean
}
