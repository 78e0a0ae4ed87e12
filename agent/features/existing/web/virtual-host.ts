import type { Unknown } from '#shared/servers/unknown-reasons.ts'

/** A web server's answer for the pages of some names; `none`: elsewhere, or no pages. */
export type Kind = 'files' | 'proxy' | 'text' | 'closed' | 'none'

/**
 * The way PHP is run: at an address of FastCGI, by a module or program of a version, or not at all.
 */
export interface Php {
  /** `/run/php/shop.sock` or `127.0.0.1:9000`; empty if PHP does not use FastCGI. */
  address: string
  /** The version of the web server's module, or of a program that it starts itself. */
  version: string
}

/** One set of names of one server block, for any web server. */
export interface VirtualHost {
  /** As written; empty: all names that no other has. */
  names: readonly string[]
  /** Each `address:port`; an empty address is any of the machine's. */
  listens: readonly Listen[]
  kind: Kind
  /** Absolute, without a trailing slash, empty if there is none or it is unknown. */
  docroot: string
  php: Php
  /** The target of a proxy: `127.0.0.1:8080` or a socket path. */
  proxy: string
  /** Path of the certificate, empty without TLS. */
  certificate: string
  tls: boolean
  /** The user of scripts, if the web server itself sets it. */
  user: string
  /** Codes of the reasons, by the names of the fields. */
  unknown: Unknown
  mass?: MassHost
}

/** A server block for many sites, whose folders depend on the visitors' host. */
export interface MassHost {
  /** The folder with one folder for each site; empty: none. */
  parent: string
  /** Names that it could have for a folder of `parent`. */
  namesFor(folder: string): readonly string[]
  /** Names that the configuration itself has. */
  names: readonly string[]
  /** Its answer to one name, undefined if it does not answer to it. */
  answerTo(name: string): VirtualHost | undefined
}

export interface Listen {
  address: string
  port: number
  tls: boolean
  /** Also answers names that no server has. */
  default: boolean
  /** On all IPv6 addresses, and on none of IPv4. */
  only_ipv6?: true
}

export const NO_PHP: Php = { address: '', version: '' }

/** Only programs on this machine can connect to it. */
export const isLoopback = (address: string) =>
  /^(127\.\d+\.\d+\.\d+|\[?::1\]?|localhost)$/.test(address)

/** The canonical form of each FastCGI address, so that equal ones compare as equal. */
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
