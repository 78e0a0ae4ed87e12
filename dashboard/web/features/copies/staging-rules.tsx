const RULES = [
  'Visitors need a user name and a password',
  'Search engines are instructed not to list it',
  'Its mail is caught on the server and not sent',
  'Its scheduled jobs do not run',
  'Requests to known payment providers are refused',
  'WordPress sees the environment type "staging"',
]

/** What differs between a staging site and the live one. */
export function StagingRules() {
  return (
    <section aria-label="Differences" className="rounded-lg bg-sunken px-4 py-3">
      <p className="font-medium">What is different on the staging site</p>
      <ul className="mt-1 list-disc pl-5 text-muted">
        {RULES.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
    </section>
  )
}
