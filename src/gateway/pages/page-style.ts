/** Style of the guides and of pages that contain only text. */
export const PAGE_STYLE = `
:root { color-scheme: light; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; }
body { margin: 0; color: #1b2330; background: #fff; }
a { color: #0b5cad; }
.bar { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; padding: .75rem 1.25rem; border-bottom: 1px solid #dde3ea; background: #f6f8fa; }
.bar strong { margin-right: auto; }
.landing { max-width: 42rem; margin: 4rem auto; padding: 0 1.25rem; }
.landing dt { font-weight: 600; margin-top: 1rem; }
.landing dd { margin: 0; }
.guide { display: grid; grid-template-columns: 14rem minmax(0, 52rem); gap: 2rem; max-width: 72rem; margin: 1.5rem auto; padding: 0 1.25rem; }
.guide nav h2 { margin: 1rem 0 .25rem; font-size: .875rem; }
.guide nav ul { list-style: none; margin: 0; padding: 0; }
.guide nav li { padding: .2rem 0; }
.guide [aria-current] { font-weight: 600; }
.guide h1 { margin-top: 0; }
.guide pre { padding: .75rem 1rem; overflow-x: auto; background: #f6f8fa; border: 1px solid #dde3ea; border-radius: 6px; font-size: .875rem; }
.guide table { display: block; overflow-x: auto; border-collapse: collapse; }
.guide th, .guide td { padding: .35rem .6rem; text-align: left; vertical-align: top; border: 1px solid #dde3ea; }
.guide code { overflow-wrap: anywhere; }
.guide td:first-child code { white-space: nowrap; }
.guide pre code { overflow-wrap: normal; }
@media (max-width: 48rem) { .guide { grid-template-columns: minmax(0, 1fr); } }
`
