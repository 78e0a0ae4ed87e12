import { expect, test } from 'bun:test'
import type { AccessWorld } from './access-world.ts'

const MINUTES = 60_000
const LIST = 'show databases'
/** As a person would: with the account that wp-config.php has. */
const MARIADB = [
  'MYSQL_PWD="$(wp config get DB_PASSWORD)" mariadb --user="$(wp config get DB_USER)"',
  '--batch --skip-column-names',
].join(' ')

/** The database of a site in its shell. */
export function shellDatabase(of: () => AccessWorld): void {
  const run = async (command: string) => {
    const { code, text } = await of().client.ssh('anna', `${of().shop.user}.ssh`, [command])
    // WP-CLI adds an empty line.
    return { code, text: text.trimEnd() }
  }

  test(
    'mariadb and wp db query read and change the database of the site, and show no other one',
    async () => {
      const { shop, victim, host } = of()
      const all = await host.must(['mariadb', '--batch', '--skip-column-names', '-e', LIST])
      const own = { code: 0, text: `information_schema\n${shop.user}` }
      expect(all.split('\n')).toEqual(expect.arrayContaining([shop.user, victim.user]))

      expect(await run(`${MARIADB} -e '${LIST}'`)).toEqual(own)
      expect(await run(`wp db query '${LIST}' --skip-column-names`)).toEqual(own)

      const title = `from $(wp db prefix)options where option_name = 'blogname'`
      const write = `update $(wp db prefix)options set option_value = 'By hand'`
      const change = `${MARIADB} ${shop.user} -e "${write} where option_name = 'blogname'"`
      expect(await run(change)).toEqual({ code: 0, text: '' })
      const read = `wp db query "select option_value ${title}" --skip-column-names`
      expect(await run(read)).toEqual({ code: 0, text: 'By hand' })
      expect((await run('wp option get blogname')).text).toBe('By hand')

      const denied = {
        code: 1,
        text: expect.stringMatching(/^ERROR 1044 \(42000\).*Access denied/),
      }
      expect(await run(`${MARIADB} ${victim.user} -e 'show tables'`)).toEqual(denied)
      const foreign = await run(`wp db query 'show tables from ${victim.user}'`)
      expect([foreign.code, foreign.text]).toEqual([1, expect.stringContaining('Access denied')])
      expect((await run(`${MARIADB} -e 'select count(*) from mysql.user'`)).code).toBe(1)
    },
    2 * MINUTES,
  )
}
