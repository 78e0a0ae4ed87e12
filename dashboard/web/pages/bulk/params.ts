const NAMES: Record<string, string> = {
  php: 'PHP',
  tier: 'tier',
  tls: 'certificate',
  service: 'service',
  php_versions: 'PHP',
}

/** What it is done with, such as `tier large`; empty where it takes nothing. */
export function paramsInWords(params: Record<string, unknown>): string {
  return Object.entries(params)
    .filter(([name, value]) => NAMES[name] !== undefined && String(value) !== '')
    .map(([name, value]) => `${NAMES[name]} ${[value].flat().join(', ')}`)
    .join(', ')
}
