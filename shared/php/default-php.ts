import { debianOf, SHIPPED_PHP } from './php-support.ts'

/**
 * Returns the PHP version of a site without one in its call: the setting if the server has that
 * version, else the newest version that it has. A server without PHP installs the version of its
 * system, or the setting if the system is unknown.
 */
export function defaultPhp(php_versions: readonly string[], setting: string, os = ''): string {
  if (php_versions.length === 0) return SHIPPED_PHP[debianOf(os)] ?? setting
  if (php_versions.includes(setting)) return setting
  const [newest = setting] = php_versions.toSorted((one, other) => compare(other, one))
  return newest
}

function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split('.').map(Number))
  return (left?.[0] ?? 0) - (right?.[0] ?? 0) || (left?.[1] ?? 0) - (right?.[1] ?? 0)
}
