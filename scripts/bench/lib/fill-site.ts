import type { Host } from '#tests/support/lab/index.ts'

const MB = 1e6
const PHOTO = 800_000
const TEXT_BYTES = 60_000
const MINUTES = 60_000

/** This is the number of bytes of a post with its fields in a dump, on average. */
const POST_BYTES = 3500

const TEXT = 'Lorem ipsum dolor sit amet, it\\\'s a "test" of café and 😀 content.\\n'
const JSON_TEXT = `[{"id":"6f2e1a","settings":{"image":{"url":"https:\\\\/\\\\/HOST\\\\/a.png","alt":"\\"é\\""}}}]`
const SIZES = ['thumbnail', 'medium', 'medium_large', 'large', 'full'].map(
  (name) => `${serialized(name)}a:2:{s:4:"file";${serialized(`a-${name}.jpg`)}s:5:"width";i:300;}`,
)
const META = `a:3:{s:5:"width";i:1200;s:4:"file";s:13:"2026/01/a.jpg";s:5:"sizes";a:5:{${SIZES.join('')}}}`
/** Fields that every product of a shop has. */
const FIELDS = [
  '_edit_lock',
  '_price',
  '_sku',
  '_stock',
  '_tax_class',
  '_thumbnail_id',
  '_visibility',
]

/** Fills a WordPress to this size. `database`: its share; of the files, most do not compress. */
export async function fillSite(
  host: Host,
  { user, domain }: { user: string; domain: string },
  { megabytes, database }: { megabytes: number; database: number },
): Promise<void> {
  const bytes = megabytes * MB
  const names = await host.must(['mariadb', user, '-Ne', "SHOW TABLES LIKE '%\\_posts'"])
  const sql = filled(bytes * database, domain).replaceAll('wp_post', names.trim().slice(0, -1))
  await host.must(['mariadb', user], { input: sql, timeout_ms: 20 * MINUTES })
  const photos = Math.round((bytes * (0.9 - database)) / PHOTO)
  const texts = Math.round((bytes * 0.1) / TEXT_BYTES)
  const make = `cd /srv/www/${user}/public && mkdir -p wp-content/uploads && cd wp-content/uploads
    head -c ${photos * PHOTO} /dev/urandom | split -a 6 -d -b ${PHOTO} - photo
    yes 'A line of a log, a style sheet or a script; ' | head -c ${texts * TEXT_BYTES} | split -a 6 -d -b ${TEXT_BYTES} - text
    chown -R ${user}: .`
  await host.must(['bash', '-ec', make], { timeout_ms: 20 * MINUTES })
}

/** Returns what serialize() of PHP makes of a text in ASCII. */
function serialized(text: string): string {
  return `s:${text.length}:"${text}";`
}

/**
 * Returns SQL that fills a WordPress with about so many bytes of posts. One post in four has an
 * address of the site, one in ten a page builder with escaped JSON, and each a serialised field.
 */
export function filled(bytes: number, host: string): string {
  const url = `https://${host}/shop/`
  const posts = Math.ceil(bytes / POST_BYTES)
  return `INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_modified, post_modified_gmt,
      post_content, post_title, post_excerpt, to_ping, pinged, post_content_filtered, guid)
    SELECT 1, NOW(), NOW(), NOW(), NOW(), CONCAT('<!-- wp:paragraph -->\\n<p>', REPEAT('${TEXT}', 25),
      IF(seq % 4 = 0, '<a href="${url}">shop</a> <img src="http://${host}/b.png">', ''), '</p>'),
      CONCAT('Post ', seq), '', '', '', '', CONCAT('https://${host}/?p=', seq) FROM seq_1_to_${posts};
    INSERT INTO wp_postmeta (post_id, meta_key, meta_value)
      SELECT seq, '_wp_attachment_metadata', '${META}' FROM seq_1_to_${posts} UNION ALL
      ${FIELDS.map((field) => `SELECT seq, '${field}', seq FROM seq_1_to_${posts} UNION ALL`).join('\n')}
      SELECT seq, '_link', IF(seq % 4 = 0, 'a:1:{s:4:"link";${serialized(url)}}', '') FROM seq_1_to_${posts} UNION ALL
      SELECT seq, '_elementor_data', REPEAT('${JSON_TEXT.replaceAll('HOST', host)}', 20)
        FROM seq_1_to_${posts} WHERE seq % 10 = 0;`
}

/** Returns digests of all files, and of all rows but options, of a site with a folder of its user. */
export async function contentOf(host: Host, user: string): Promise<string> {
  const sums = 'find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum'
  const names = await host.must(['mariadb', user, '-Ne', 'SHOW TABLES'])
  // A visit may have written an option.
  const tables = names.split('\n').filter((name) => name !== '' && !name.endsWith('_options'))
  const checksums = `CHECKSUM TABLE ${tables.map((name) => `\`${name}\``).join(', ')} EXTENDED`
  return (
    (await host.must(['bash', '-c', `cd /srv/www/${user}/public && ${sums}`])) +
    (await host.must(['mariadb', user, '-Ne', checksums]))
  )
}
