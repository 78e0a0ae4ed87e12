/** A benchmark is the program `scripts/bench/NAME.ts`. */
export interface Benchmark {
  name: string
  /** The goal, for the table of the document. */
  target: string
  /** `root`, or programs that must be installed. */
  needs?: readonly string[]
}

/** All benchmarks, in the order of the table. */
export const BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'site-create',
    target:
      '`site.create` takes at most 1.1 × as long as a plain script that calls the same programs',
    needs: ['root'],
  },
  {
    name: 'domain',
    target:
      "changing the primary domain of a WordPress with 1 GB of posts takes at most 4 × as long as wp-cli's search-replace alone in its database, which saves nothing, and leaves no more addresses than that",
    needs: ['root'],
  },
  {
    name: 'prove',
    target:
      'a proof of a backup takes at most 4 × as long as restic and mariadb with the same data alone, and 50 sites of 2 GB are proven one after the other within a window of 4 hours on 2 cores',
    needs: ['root'],
  },
  {
    name: 'backup',
    target:
      'backing up a WordPress of 2 GB takes at most 2.5 × the processor time, 4 × the time and 1.1 × the bytes of `tar`, `mariadb-dump` and `zstd`, and 1 ×, 1 × and 0.02 × when nothing has changed; the restored site is the same, and the database alone is back in at most 4 × the time of its loading by `mariadb`',
    needs: ['root'],
  },
  {
    name: 'move',
    target:
      'a WordPress of 2 GB that changes a little moves to another server with a freeze of at most 5 s, and has the same files and rows there',
    needs: ['root'],
  },
  {
    name: 'discovery',
    target:
      'discovering 1,000 WordPress sites with TLS on one server takes an agent that was just started at most 3 s and 512 MB',
    needs: ['root'],
  },
  {
    name: 'site-speed',
    target:
      "an uncached page is at least 0.95 × as fast as the same WordPress on Debian's own nginx and PHP-FPM, a cached page at least 50 ×, a static file at least 1 ×; sleeping PHP uses at most 6 MB",
    needs: ['root', 'wrk'],
  },
  {
    name: 'sync',
    target:
      'a whole sync of 1,000 enrolled servers with 20 sites each, over pinned TLS, with signed requests and committed records, takes at most 2 × as long as plain requests for each of its parts over kept connections; a minute in which nothing changes takes at most 0.5 ms of processor time for each server',
  },
  {
    name: 'busy',
    target:
      'while a dashboard syncs 1,000 enrolled servers, 1,000 requests a second of open pages are answered within 10 ms at p99',
  },
  {
    name: 'fleet-minutes',
    target:
      '10,000 enrolled servers, 3,000 of them dead, take a dashboard at most half of a core and 300 MB; no other server is reported offline, and no sync is late by more than an interval',
  },
  {
    name: 'idle',
    target:
      'a dashboard without servers uses at most 0.2 % of a core; a server that is pending, offline, or whose agent has nothing but its contract takes at most 2 ms of processor time in a minute, in the real time of a dashboard with 100 of one kind',
  },
  {
    name: 'events',
    target:
      '100,000 events of 10 operations reach clients through the dashboard, which stores them, in at most 2.5 × the time that the agent needs to send them itself; the first line of an operation is at its client within 10 ms at p99; 5,000 open streams need at most 100 MB',
  },
  {
    name: 'start',
    target:
      'the agent starts and answers in at most 1.5 × the time of an empty server of Bun that is compiled in the same way, and each of its halves needs at most 2 × its private memory; the dashboard starts in at most 3 × the time of an empty program of Elysia; its memory beside that of such a program, also with 10,000 sites, is stated',
  },
  {
    name: 'lists',
    target:
      "the list of 50 servers is answered at least 0.5 × as often in a second of processor time as bare Bun.serve answers with the same bytes, sites of a server, the fleet's sites and overview (10,000 sites) and activity at least 0.3 ×; each read sees the write before it, and no session is accepted after its logout",
    needs: ['wrk'],
  },
  {
    name: 'grants',
    target:
      'the lists and the overview of 10,000 sites on 100 servers take at most 1.5 × as long for somebody with 20 grants on tags, servers and sites as for an owner, with no cached answer; they have no other site',
  },
  {
    name: 'several',
    target:
      'several dashboards on one libSQL server: a request takes at most 1.5 × as much processor time with three dashboards as with one; requests in a second of processor time beside a dashboard with a file are stated',
    needs: ['wrk'],
  },
  {
    name: 'growth',
    target:
      'a server and minute takes at most 1.3 × as much processor time with 10,000 servers as with 100; a page of the same length, and the overview after a change, take at most 2 × as long with 100,000 sites as with 1,000; a picture shows both',
  },
  {
    name: 'browser',
    target:
      'with 10,000 sites, a page is first painted within 500 ms with a cold cache; when the list is filtered and sorted, a key press or click is painted within 100 ms at p95; no task takes more than 100 ms while 50 operations stream; a tab that visits all pages for 6 minutes, after a warm-up of 6 minutes, adds at most 5 % to its heap, DOM nodes and listeners; at most 200 kB of JavaScript (gzip) are loaded before the code of the page',
  },
]
