//! Pure numerics: quantiles, robust summaries.
