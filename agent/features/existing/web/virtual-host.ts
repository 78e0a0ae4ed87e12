import type { Unknown } from '#shared/servers/unknown-reasons.ts'

/** A web server's kind of answer for the pages of some names; `none` is elsewhere, or no pages. */
export type HostKind = 'files' | 'proxy' | 'text' | 'closed' | 'none'

/** The way in which PHP runs: at an address of FastCGI, by a module or program, or not at all. */
export interface Php {
  /** `/run/php/shop.sock` or `127.0.0.1:9000`; empty if PHP does not use FastCGI. */
  address: string
  /** The version of the web server's module, or of a program that it starts itself. */
  version: string
}

/** A set of names of one server block, for any web server. */
export interface VirtualHost {
  /** The names as written; empty for all names that no other server block has. */
  names: readonly string[]
  /** The addresses and ports; an empty address is any of the machine's. */
  listens: readonly Listen[]
  kind: HostKind
  /** An absolute path without a trailing slash; empty if there is none or it is unknown. */
  docroot: string
  php: Php
  /** The target of a proxy: `127.0.0.1:8080` or a socket path. */
  proxy: string
  /** The path of the certificate; empty without TLS. */
  certificate: string
  tls: boolean
  /** The user of scripts, if the web server itself sets it. */
  user: string
  /** The codes of the reasons, by the names of the fields. */
  unknown: Unknown
  mass?: MassHost
}

/** A server block for many sites, whose folders depend on the visitors' host. */
export interface MassHost {
  /** The folder with one folder for each site; empty without one. */
  parent: string
  /** Returns the names that it could have for a folder of `parent`. */
  namesFor(folder: string): readonly string[]
  /** The names in the configuration itself. */
  names: readonly string[]
  /** Returns its answer to one name; undefined if it does not answer to it. */
  answerTo(name: string): VirtualHost | undefined
}

export interface Listen {
  address: string
  port: number
  tls: boolean
  /** True when it also answers names that no server has. */
  default: boolean
  /** True when it listens on all IPv6 addresses, and on none of IPv4. */
  only_ipv6?: true
}

export const NO_PHP: Php = { address: '', version: '' }

/** Returns whether only programs on this machine can connect to it. */
export const isLoopback = (address: string) =>
  /^(127\.\d+\.\d+\.\d+|\[?::1\]?|localhost)$/.test(address)

/** Returns the canonical form of a FastCGI address, so that equal ones compare as equal. */
export function fastcgiAddress(written: string): string {
  if (/^(unix:|\/)/.test(written)) {
    const path = written.replace(/^unix:(\/\/)?/, '').replace(/:$/, '')
    return path.replace(/\/{2,}/g, '/').replace(/^\/var\/run\//, '/run/')
  }
  if (/^\d+$/.test(written)) return `127.0.0.1:${written}`
  const [, address = '', port = ''] = /^(.*):(\d+)$/.exec(written) ?? []
  if (port === '') return written
  return `${isLoopback(address) ? '127.0.0.1' : address}:${port}`
}
