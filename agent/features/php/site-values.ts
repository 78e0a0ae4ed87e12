import { phpIni, phpIniText } from '#shared/kernel/formats/php-ini.ts'
import { PHP_VALUES } from '#shared/kernel/php-values.ts'

const NAME = /^php_(?:admin_)?(?:value|flag)\[(.+?)\]/

/**
 * The lines of a pool with the values of its site. PHP-FPM would apply a second line of the same
 * setting first, so that the former one would win: it is left out.
 */
export function withSiteValues(
  lines: readonly string[],
  values: Readonly<Record<string, string>>,
): string[] {
  const others = lines.filter((line) => !Object.hasOwn(values, NAME.exec(line)?.[1] ?? ''))
  return [...others, ...Object.entries(values).sort().flatMap(lineOf)]
}

/** Quoted: without quotes, `None` is empty. A name that a later version no longer has is left out. */
function lineOf([name, value]: [string, string]): string[] {
  const rule = PHP_VALUES[name]
  if (!rule) return []
  const scope = rule.system ? 'php_admin' : 'php'
  return rule.kind === 'switch'
    ? [phpIni.part`${scope}_flag[${name}] = ${value}`.text]
    : [phpIni.part`${scope}_value[${name}] = ${phpIniText('php_settings', value)}`.text]
}
