import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Globe } from 'lucide-react'
import { useDeferredValue } from 'react'
import { typedSitesQuery } from '#dashboard/web/api/sites.ts'
import { searchWords } from '#shared/kernel/search-words.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { Entry } from './use-entries.ts'

const MOST = 8
const LEAST_TEXT = 2

/** Sites whose domain contains the text, requested after a pause in typing. */
export function useFoundSites(text: string): { entries: Entry[]; busy: boolean } {
  const navigate = useNavigate()
  const requested = useDeferredValue(text)
  const isSearched = requested.length >= LEAST_TEXT
  const { data, isFetching, isPlaceholderData } = useQuery({
    ...typedSitesQuery(requested, { most: MOST, pause_ms: 120 }),
    enabled: isSearched,
  })
  // Until the answer arrives, previous results that match are shown.
  const isOld = isPlaceholderData || requested !== text
  const found = isSearched ? (data?.sites ?? []) : []
  const words = searchWords(text)
  const matches = (domain: string) =>
    words.every((word) => domain.includes(word) || unicodeOf(domain).includes(word))
  const sites = isOld ? found.filter(({ domain }) => matches(domain)) : found
  const entries = sites.map(({ id, domain, server, found }) => ({
    id: `site ${id}`,
    name: unicodeOf(domain),
    more: found ? `${server}, not managed` : server,
    icon: Globe,
    act: () => void navigate({ to: '/sites/$site_id', params: { site_id: String(id) } }),
  }))
  return { entries, busy: isSearched && isFetching }
}
