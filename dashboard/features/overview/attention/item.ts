import {
  ATTENTION_KINDS,
  type Attention,
  type AttentionItem,
  type AttentionKind,
  SEVERITIES,
  SHOWN,
} from '#shared/overview/api/attention.ts'

export function item(
  known: Pick<AttentionItem, 'severity' | 'name' | 'reason'> & Partial<AttentionItem>,
): AttentionItem {
  const nothing = { server_id: null, site_id: null, operation_id: null, at: null, query: null }
  return { ...nothing, subject: '', count: 1, ...known }
}

type Finding = Pick<AttentionItem, 'severity' | 'reason'> & Partial<AttentionItem>
type SiteReference = { id: number; server_id: number; domain: string }

export function siteItem(
  { id, server_id, domain }: SiteReference,
  finding: Finding,
): AttentionItem {
  return item({ server_id, site_id: id, name: domain, ...finding })
}

/** Makes an item of a server, with its name unless the finding has another. */
export function serverItem(
  { id, name }: { id: number; name: string },
  finding: Finding,
): AttentionItem {
  return item({ server_id: id, name, ...finding })
}

/** Prepares a text for the middle of a sentence; a name such as PHP-FPM keeps its case. */
export const lowerFirst = (text: string) =>
  text.replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase())

/** Adds advice to a reason in one sentence: a full stop of the reason is removed. */
export function withAdvice(reason: string, advice: string): string {
  return `${reason.replace(/[\s.:]+$/, '')}: ${advice}`
}

/** Returns the group of these items, most severe first; an empty list without items. */
export function groupOf(
  kind: AttentionKind,
  found: readonly AttentionItem[],
  total = found.length,
  query: Attention['query'] = null,
): Attention[] {
  const items = found
    .toSorted((one, other) => severityRank(one) - severityRank(other))
    .slice(0, SHOWN)
  const [first] = items
  return first ? [{ kind, severity: first.severity, total, items, query }] : []
}

/** Orders groups, the most severe first; among equals, in the order of the kinds. */
export function inOrder(groups: readonly Attention[]): Attention[] {
  const place = (group: Attention) =>
    severityRank(group) * ATTENTION_KINDS.length + ATTENTION_KINDS.indexOf(group.kind)
  return groups.toSorted((one, other) => place(one) - place(other))
}

function severityRank({ severity }: Pick<AttentionItem, 'severity'>): number {
  return SEVERITIES.indexOf(severity)
}

/** Writes a number with its noun, such as `1 site` or `2 sites`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
