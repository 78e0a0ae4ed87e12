import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ObjectCache } from '#dashboard/web/api/site-settings.ts'
import { objectCacheQuery, setObjectCache } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { formatBytes } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { DEFAULT_OBJECT_MEMORY, OBJECT_MEMORIES } from '#shared/object-cache/object-cache.ts'

/** The object cache of a site, and its use. */
export function ObjectCacheCard({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { data, error, refetch } = useQuery(objectCacheQuery(site))
  const on = useDialog()
  const off = useDialog()
  const isOn = data !== undefined && data.memory !== null
  return (
    <Card
      title="Object cache"
      actions={
        isOnServer &&
        data && (
          <>
            <Button needs="operate" onClick={on.show}>
              {isOn ? 'Change object cache' : 'Switch object cache on'}
            </Button>
            {isOn && (
              <Button needs="operate" onClick={off.show}>
                Switch object cache off
              </Button>
            )}
          </>
        )
      }
    >
      <QueryState of={{ data, error, refetch }} rows={2} />
      {data && <Facts of={factsOf(data)} />}
      {data && on.dialog.open && <Change site={site} cache={data} {...on.dialog} />}
      <WorkDialog
        {...off.dialog}
        site={site}
        title={`Switch the object cache of ${unicodeOf(site.domain)} off?`}
        about="The drop-in is removed from the site, and its objects from the memory. WordPress reads them from its database again."
        action="Switch object cache off"
        work={setObjectCache(site, null)}
      />
    </Card>
  )
}

function factsOf({ memory, limit, numbers, drop_in, other }: ObjectCache) {
  const isOther = drop_in === 'other'
  const name = other ?? 'another plugin'
  if (memory === null || limit === null) {
    return { Objects: isOther ? `In the object cache of ${name}` : 'Read from the database' }
  }
  return {
    ...(numbers
      ? numbersOf(numbers, limit)
      : { Memory: `${limit} MB, but it does not answer: WordPress works without it` }),
    ...(limit < memory && { Limit: `The tier allows ${limit} of ${memory} MB` }),
    ...(drop_in !== 'own' && {
      'Drop-in': isOther
        ? `Of ${name}: WordPress does not use this cache`
        : 'Missing: WordPress does not use this cache',
    }),
  }
}

const counted = (count: number) => count.toLocaleString('en')

function numbersOf(numbers: NonNullable<ObjectCache['numbers']>, limit: number) {
  const { used, objects, hits, misses, evicted } = numbers
  const reads = hits + misses
  return {
    Memory: `${formatBytes(used)} of ${limit} MB, ${counted(objects)} objects`,
    ...(reads > 0 && {
      'Hit rate': `${Math.floor((100 * hits) / reads)} % of ${counted(reads)} reads`,
    }),
    ...(evicted > 0 && { 'Evicted objects': `${counted(evicted)}: more memory keeps them` }),
  }
}

function Change({ site, cache, ...dialog }: DialogState & { site: Site; cache: ObjectCache }) {
  const [memory, setMemory] = useState(Math.min(cache.memory ?? DEFAULT_OBJECT_MEMORY, cache.most))
  const sizes = OBJECT_MEMORIES.filter((size) => size <= cache.most)
  const shown = sizes.includes(memory) ? sizes : [...sizes, memory].sort((a, b) => a - b)
  return (
    <WorkDialog
      {...dialog}
      site={site}
      title={`Object cache of ${unicodeOf(site.domain)}`}
      about="WordPress keeps results of its database in the memory of a server of this site alone. Its drop-in is installed in wp-content; one of another plugin is never replaced."
      action="Apply object cache"
      work={setObjectCache(site, memory)}
    >
      <SelectField
        name="memory"
        label="Memory"
        hint="It counts as memory of the site, which its tier limits."
        value={memory}
        options={shown.map((value) => ({ value, name: `${value} MB` }))}
        onChange={setMemory}
      />
    </WorkDialog>
  )
}
