import type { Host } from '#tests/support/lab/index.ts'
import { get } from '#tests/support/system/requests.ts'

const EVERY_MS = 300
const PAGE = `<?php
define('SHORTINIT', true);
require __DIR__ . '/wp-load.php';
global $wpdb;
$id = (int) $_GET['id'];
if ($wpdb->query("INSERT INTO orders VALUES ($id)") === 1) echo "ordered $id";
`

/** Visitors of one server who order, one after the other, whatever happens to the site. */
export class Orders {
  readonly acknowledged: number[] = []
  readonly #host: Host
  readonly #domain: string
  #last = 0

  constructor(host: Host, domain: string) {
    this.#host = host
    this.#domain = domain
  }

  async prepare(user: string): Promise<void> {
    const page = `/srv/www/${user}/public/order.php`
    await this.#host.put(page, PAGE)
    await this.#host.must(['chown', `${user}:`, page])
    await this.#host.must(['mariadb', user, '-e', 'CREATE TABLE orders (id INT PRIMARY KEY)'])
  }

  start(): { stop(): Promise<void> } {
    let isEnded = false
    const order = async () => {
      while (!isEnded) {
        await this.#order()
        await Bun.sleep(EVERY_MS)
      }
    }
    const ordering = order()
    const stop = () => {
      isEnded = true
      return ordering
    }
    return { stop }
  }

  async #order(): Promise<void> {
    this.#last += 1
    const id = this.#last
    const url = `http://${this.#domain}/order.php?id=${id}`
    const page = await get(this.#host, url).catch(() => undefined)
    if (page?.body.trim() === `ordered ${id}`) this.acknowledged.push(id)
  }

  /** The acknowledged orders that a server does not have. */
  async lost(host: Host, user: string): Promise<number[]> {
    const rows = await host.must(['mariadb', '-N', user, '-e', 'SELECT id FROM orders'])
    const kept = new Set(rows.trim().split('\n').map(Number))
    return this.acknowledged.filter((id) => !kept.has(id))
  }
}
