import type { ShownMove } from '#shared/moves/api/moves.ts'

/** Where DNS points, and what to do. */
export function dnsText({ dns, addresses, wanted, move }: ShownMove): string {
  const entry = `Point DNS to ${wanted.join(', ')}, and confirm the move when visitors have followed.`
  const text = {
    new: 'DNS points to this server: the move can be confirmed.',
    former: `DNS still points to ${move?.other ?? 'the former server'}. ${entry}`,
    both: `DNS points to both servers. Remove the address of ${move?.other ?? 'the former server'}.`,
    elsewhere: `DNS points to ${addresses.join(', ')}, which belongs to neither server: it may be a proxy. Check which server the proxy uses.`,
    unknown: 'It is not known where DNS points.',
  }
  return text[dns]
}
