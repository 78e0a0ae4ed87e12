import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { numbersQuery } from '#dashboard/web/api/numbers.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { ChangeDialog } from '#dashboard/web/features/php/change-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { RecommendationReason } from '#shared/metrics/api/numbers.ts'

/** Another tier that fits the site better, why, and the button for it. */
export function TierAdvice({ site }: { site: Site }) {
  const { data } = useQuery(numbersQuery(site, '1h'))
  const [isChanging, setChanging] = useState(false)
  const advice = data?.recommendation
  if (!advice || site.status !== 'active') return null
  const isIdle = advice.reasons.some(({ code }) => code === 'idle')
  return (
    <>
      <Notice
        kind={isIdle ? 'info' : 'warn'}
        title={`The tier ${advice.tier} fits this site better than ${site.tier}`}
        actions={
          <Button needs="operate" onClick={() => setChanging(true)}>
            Change to {advice.tier}
          </Button>
        }
      >
        <ul>
          {advice.reasons.map((reason) => (
            <li key={reason.code}>{textOf(reason)}</li>
          ))}
        </ul>
      </Notice>
      {isChanging && (
        <ChangeDialog
          site={site}
          what="tier"
          tier={advice.tier}
          onClose={() => setChanging(false)}
        />
      )}
    </>
  )
}

function textOf({ code, count, days }: RecommendationReason): string {
  const often = formatCount(count, 'time')
  const on = `on ${days} days of the last week`
  const texts = {
    workers: `All workers of PHP were busy ${often} ${on}, so that visitors had to wait.`,
    memory: `It reached its memory limit ${often} ${on}.`,
    killed: `${formatCount(count, 'program')} of the site ran out of memory and ended ${on}.`,
    idle: `It had ${formatNumber(count)} requests in ${days} days. A smaller tier leaves memory to other sites.`,
  }
  return texts[code]
}
