import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { TextField } from '#dashboard/web/ui/field.tsx'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { tagsOf, type useServerForm } from './use-server-form.ts'

type Form = ReturnType<typeof useServerForm>

/** The name of a server and the address of its agent. `own`: the edited server. */
export function ServerFields({ form, own }: { form: Form; own?: number }) {
  const { field, values } = form
  const { data } = useQuery(fleetQuery)
  const sameName = sameNameHint(data?.servers ?? [], values, own)
  return (
    <>
      <TextField
        label="Hostname"
        {...field('hostname')}
        hint="A DNS name or an IP address that the dashboard can reach."
        placeholder="web-1.example.com"
        autoFocus
        inputMode="url"
      />
      <TextField
        label="Name"
        {...field('name')}
        hint={sameName ?? 'Shown in lists. Default: the hostname.'}
        placeholder={values.hostname || 'web-1'}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Port of the agent"
          {...field('port')}
          hint="Must be open to the dashboard."
          inputMode="numeric"
        />
        <TextField
          label="Login user"
          {...field('user')}
          hint="Runs the install command. Users other than root need sudo."
        />
      </div>
      <TextField
        label="Tags"
        {...field('tags')}
        hint="Separated by commas. Use tags to filter and select servers."
        placeholder="production, eu"
      />
      <OtherTags form={form} />
    </>
  )
}

/** Tags of other servers, added with one click. */
function OtherTags({ form: { values, set } }: { form: Form }) {
  const { data } = useQuery(fleetQuery)
  const chosen = tagsOf(values.tags)
  const all = [...new Set(data?.servers.flatMap(({ tags }) => tags))].sort()
  const others = all.filter((tag) => !chosen.includes(tag)).slice(0, 12)
  if (others.length === 0) return null
  return (
    <div className="-mt-2 flex flex-wrap gap-1.5">
      {others.map((tag) => (
        <button
          key={tag}
          type="button"
          aria-label={`Add the tag ${tag}`}
          onClick={() => set('tags', [...chosen, tag].join(', '))}
          className="inline-flex min-h-6 items-center gap-1 rounded-md bg-sunken px-2 text-xs text-muted hover:text-text"
        >
          <Plus className="size-3" />
          {tag}
        </button>
      ))}
    </div>
  )
}

type NamedServer = Pick<FleetServer, 'id' | 'name' | 'hostname'>

/**
 * The warning for a name that another server has: the API accepts it, but nobody can distinguish the
 * two. Undefined if no other server has it; `own` is the edited server.
 */
export function sameNameHint(
  servers: readonly NamedServer[],
  { name, hostname }: { name: string; hostname: string },
  own?: number,
): string | undefined {
  const requested = (name.trim() || hostname.trim()).toLowerCase()
  const other = servers.find((one) => one.id !== own && one.name.toLowerCase() === requested)
  if (!other || requested === '') return undefined
  return `The server at ${other.hostname} has the same name. Choose another name to tell them apart.`
}
